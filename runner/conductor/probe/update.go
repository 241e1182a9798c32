package probe

// The functions of this file are the assignment operations, x op= v. The operand
// comes first, because it is evaluated first. They use two sites: site reads and
// site+1 writes, so that another task can come in between.

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type number interface {
	integer | ~float32 | ~float64 | ~complex64 | ~complex128
}

type addable interface{ number | ~string }

// Add is *p += v.
func Add[T addable](site uint32, v T, p *T) { At(p).Store(site+1, Load(site, p)+v) }

// Sub is *p -= v.
func Sub[T number](site uint32, v T, p *T) { At(p).Store(site+1, Load(site, p)-v) }

// Mul is *p *= v.
func Mul[T number](site uint32, v T, p *T) { At(p).Store(site+1, Load(site, p)*v) }

// Quo is *p /= v.
func Quo[T number](site uint32, v T, p *T) { At(p).Store(site+1, Load(site, p)/v) }

// Rem is *p %= v.
func Rem[T integer](site uint32, v T, p *T) { At(p).Store(site+1, Load(site, p)%v) }

// And is *p &= v.
func And[T integer](site uint32, v T, p *T) { At(p).Store(site+1, Load(site, p)&v) }

// Or is *p |= v.
func Or[T integer](site uint32, v T, p *T) { At(p).Store(site+1, Load(site, p)|v) }

// Xor is *p ^= v.
func Xor[T integer](site uint32, v T, p *T) { At(p).Store(site+1, Load(site, p)^v) }

// AndNot is *p &^= v.
func AndNot[T integer](site uint32, v T, p *T) { At(p).Store(site+1, Load(site, p)&^v) }

// Shl is *p <<= v.
func Shl[T, S integer](site uint32, v S, p *T) { At(p).Store(site+1, Load(site, p)<<v) }

// Shr is *p >>= v.
func Shr[T, S integer](site uint32, v S, p *T) { At(p).Store(site+1, Load(site, p)>>v) }

// Element returns the address of (*p)[i]; it reads the slice when i is known.
func Element[S ~[]E, E any, I integer](i I, site uint32, p *S) *E { return &Load(site, p)[i] }

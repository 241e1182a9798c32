// Package main has methods that the standard library calls of what is inside of values that it is
// given, or that it makes itself.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"reflect"
	"runtime/pprof"
)

type names []string

// UnmarshalJSON is called of what json makes.
func (n *names) UnmarshalJSON(data []byte) error {
	*n = []string{string(data)} // want read-only, unprotected, unshared
	return nil
}

type authority struct {
	Names names
	Next  *authority
}

type config struct {
	Authorities map[string]*authority
}

// decode does not know what it decodes.
func decode(text string, to any) error { return json.Unmarshal([]byte(text), to) }

// decoded has memory that json has made, which two goroutines use then.
func decoded() {
	var c config
	decode(`{"Authorities": {"a": {"Names": "b", "Next": {"Names": "c"}}}}`, &c)
	a := c.Authorities["a"].Next
	names := &a.Names
	go func() {
		*names = nil // want read-only, unprotected
	}()
	println(len(*names)) // want read-only, unprotected
	var own authority    // it is only of this that the program itself calls the method
	own.Names.UnmarshalJSON([]byte(`"d"`))
	println(len(own.Names)) // want unshared
}

// text counts how often it is printed.
type text struct{ printed int }

func (t *text) String() string {
	t.printed++ // want unprotected, unshared
	return ""
}

type line struct{ Left, Right any }

// printed is printed by two goroutines, inside of something else.
func printed() {
	t := &text{}
	go fmt.Println(line{t, 1})
	fmt.Println([]line{{2, t}})
	own := &text{}
	_ = own.String()
}

// tally counts how often it is printed, too.
type tally struct{ printed int }

func (t *tally) String() string {
	t.printed++ // want unshared
	return ""
}

type row struct{ Cells map[string]*tally }

// one prints what it keeps for itself.
func one() {
	t := &tally{}
	fmt.Println(row{map[string]*tally{"": t}})
	fmt.Println(t.printed) // want unshared
}

// hidden is out of the library's sight.
type hidden struct{ printed int }

func (h *hidden) String() string {
	h.printed++ // want unshared
	return ""
}

type box struct{ hidden hidden }

// closed is printed by two goroutines, but not by the method of what is inside.
func closed() {
	b := &box{}
	go fmt.Println(b)
	fmt.Println(b, b.hidden.printed) // want read-only
	own := &hidden{}
	_ = own.String()
}

// cause is what is looked for in what wraps it.
type cause struct{ asked int }

func (c *cause) Error() string { return "" }

func (c *cause) Is(error) bool {
	c.asked++ // want unprotected, unshared
	return true
}

type wrapper struct{ error }

func (w wrapper) Unwrap() error { return w.error }

// wrapped is unwrapped by two goroutines.
func wrapped() {
	c := &cause{}
	err := wrapper{c}
	go errors.Is(err, errors.ErrUnsupported)
	errors.Is(err, errors.ErrUnsupported)
	own := &cause{}
	own.Is(nil)
}

// fault is one of several.
type fault struct{ asked int }

func (*fault) Error() string { return "" }

func (f *fault) Is(error) bool {
	f.asked++ // want unprotected, unshared
	return false
}

type several struct{ faults []error }

func (several) Error() string     { return "" }
func (s several) Unwrap() []error { return s.faults }

// listed is looked through by two goroutines.
func listed() {
	err := several{[]error{&fault{}}}
	go errors.Is(err, errors.ErrUnsupported)
	errors.Is(err, errors.ErrUnsupported)
	own := &fault{}
	own.Is(nil)
}

// reason is in an error that the library has declared.
type reason struct{ asked int }

func (*reason) Error() string { return "" }

func (r *reason) Is(error) bool {
	r.asked++ // want unprotected, unshared
	return false
}

// declared is looked into by two goroutines.
func declared() {
	err := &os.PathError{Err: &reason{}}
	go errors.Is(err, errors.ErrUnsupported)
	errors.Is(err, errors.ErrUnsupported)
	own := &reason{}
	own.Is(nil)
}

// refusal is an error that a method returns to the library.
type refusal struct{ seen int }

func (*refusal) Error() string { return "" }

type refused struct{ why *refusal }

func (r refused) MarshalJSON() ([]byte, error) { return nil, r.why }

// refusing gets back an error that another goroutine knows.
func refusing() {
	why := &refusal{}
	go func() {
		why.seen++ // want read-only, unprotected
	}()
	_, err := json.Marshal([]refused{{why}})
	var r *refusal
	if errors.As(err, &r) {
		r.seen++ // want unprotected, unshared
	}
}

// complaint is another one.
type complaint struct{ seen int }

func (*complaint) Error() string { return "" }

type sink struct{ complaint *complaint }

func (s sink) Write([]byte) (int, error) { return 0, s.complaint }

// writing gets it back.
func writing() {
	c := &complaint{}
	go func() {
		c.seen++ // want read-only, unprotected
	}()
	_, err := fmt.Fprint(sink{c})
	err.(*complaint).seen++ // want unprotected
}

// remark is another one.
type remark struct{ seen int }

func (*remark) Error() string { return "" }

type drain struct{ remark *remark }

func (d drain) Write([]byte) (int, error) { return 0, d.remark }

// logging gets it back from an object of the library.
func logging() {
	r := &remark{}
	go func() {
		r.seen++ // want read-only, unprotected
	}()
	err := log.New(drain{r}, "", 0).Output(1, "")
	err.(*remark).seen++ // want unprotected
}

// part is of a type that unknown code finds in another one.
type part struct{ equal int }

// Equal may be called of what unknown code has made.
func (p *part) Equal(*part) bool {
	p.equal++ // want unprotected, unshared
	return true
}

type whole struct {
	parts map[string][]part
}

// given gives unknown code an empty object: it may make others of its type.
func given() {
	pprof.NewProfile("whole").Add(&whole{}, 0)
	own := &part{}
	own.Equal(nil)
}

// request is of a type that unknown code makes to call a method.
type request struct{ seen int }

// Check may be called of that.
func (r *request) Check() {
	r.seen++ // want unprotected, unshared
}

type service struct{}

// Serve may be called by unknown code.
func (*service) Serve(r *request) { r.seen++ } // want unprotected

// called lets unknown code call a method.
func called() {
	pprof.NewProfile("service").Add(&service{}, 0)
	own := &request{}
	own.Check()
}

// product is of a type of which unknown code is told without an object.
type product struct{ n int }

// Check may be called of what it makes.
func (p *product) Check() {
	p.n++ // want unprotected, unshared
}

// told names the type only.
func told() {
	t := reflect.TypeFor[product]()
	p := reflect.New(t)
	go p.MethodByName("Check").Call(nil)
	p.MethodByName("Check").Call(nil)
	own := &product{}
	own.Check()
}

func main() {
	decoded()
	printed()
	one()
	closed()
	wrapped()
	listed()
	declared()
	refusing()
	writing()
	logging()
	given()
	called()
	told()
}

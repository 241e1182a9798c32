package conductor

import (
	"syscall"
	"time"
	"unsafe"
)

// loopback waits until the kernel has delivered what tasks have sent over the local
// network. It does so at once, unless it is busy: then packets wait in a queue of the
// processor that sent them, and who reads too early finds nothing, which the schedule
// would not determine. A packet to ourselves comes at the end of that queue.
type loopback struct {
	fd   int
	open bool
}

const (
	// deliveries is how often a packet leads to another one that matters: the three
	// of a TCP handshake, and the word that the peer has closed the connection.
	deliveries = 4
	// loopbackFD is above the descriptors that a test sees. It is below the usual limit.
	loopbackFD      = 900
	loopbackTimeout = 100 * time.Millisecond
)

// openLoopback returns a closed loopback where there is no local network. Not to be
// called by a task.
func openLoopback() (l loopback) {
	low, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return l
	}
	defer syscall.Close(low)
	fd, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(low), syscall.F_DUPFD_CLOEXEC, loopbackFD)
	if errno != 0 {
		return l
	}
	if l.fd = int(fd); l.connect() != nil {
		syscall.Close(l.fd)
		return l
	}
	l.open = true
	return l
}

// connect makes the socket send to itself.
func (l *loopback) connect() error {
	if err := syscall.Bind(l.fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	self, err := syscall.Getsockname(l.fd)
	if err != nil {
		return err
	}
	if err := syscall.Connect(l.fd, self); err != nil {
		return err
	}
	timeout := syscall.NsecToTimeval(int64(loopbackTimeout))
	return syscall.SetsockoptTimeval(l.fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &timeout)
}

// settle waits for the packets. Its system calls are raw: they are not a task's, and
// the scheduler must not notice them.
func (l *loopback) settle() {
	for range deliveries {
		if !l.open {
			return
		}
		var b [1]byte
		_, _, sent := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(l.fd), uintptr(unsafe.Pointer(&b)), 1)
		_, _, got := syscall.RawSyscall(syscall.SYS_READ, uintptr(l.fd), uintptr(unsafe.Pointer(&b)), 1)
		l.open = sent == 0 && (got == 0 || got == syscall.EINTR)
	}
}

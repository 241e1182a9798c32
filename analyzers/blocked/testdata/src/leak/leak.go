package leak

import (
	"context"
	"errors"
	"log"
	"time"
)

func work() int { return 42 }

func timeout() (int, error) {
	result := make(chan int)
	go func() { result <- work() }() // want `the goroutine may wait forever to send to result: the only receiver can return before it receives`
	select {
	case v := <-result:
		return v, nil
	case <-time.After(time.Second):
		return 0, errors.New("timeout")
	}
}

func timeoutBuffered() (int, error) {
	result := make(chan int, 1)
	go func() { result <- work() }()
	select {
	case v := <-result:
		return v, nil
	case <-time.After(time.Second):
		return 0, errors.New("timeout")
	}
}

// The value is received in the other case, too.
func timeoutWaits(ctx context.Context, cancel func()) (int, error) {
	result := make(chan int)
	go func() { result <- work() }()
	select {
	case v := <-result:
		return v, nil
	case <-ctx.Done():
		cancel()
		<-result
		return 0, ctx.Err()
	}
}

// The sender gives up, too.
func bothGiveUp(ctx context.Context) (int, error) {
	result := make(chan int)
	go func() {
		select {
		case result <- work():
		case <-ctx.Done():
		}
	}()
	select {
	case v := <-result:
		return v, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func early(check func() error) (int, error) {
	result := make(chan int)
	go func() {
		v := work()
		result <- v // want `the goroutine may wait forever to send to result`
	}()
	if err := check(); err != nil {
		return 0, err
	}
	return <-result, nil
}

func exits(check func() error) int {
	result := make(chan int)
	go func() { result <- work() }()
	if err := check(); err != nil {
		log.Fatal(err)
	}
	return <-result
}

func first(ask ...func() int) int {
	replies := make(chan int)
	for _, f := range ask {
		go func() { replies <- f() }() // want `the goroutine may wait forever to send to replies`
	}
	return <-replies
}

func all(ask ...func() int) (sum int) {
	replies := make(chan int)
	for _, f := range ask {
		go func() { replies <- f() }()
	}
	for range ask {
		sum += <-replies
	}
	return sum
}

func firstGood(ask ...func() int) int {
	replies := make(chan int)
	for _, f := range ask {
		go func() { replies <- f() }() // want `the goroutine may wait forever to send to replies`
	}
	for range ask {
		if r := <-replies; r > 0 {
			return r
		}
	}
	return 0
}

func firstGoodBuffered(ask ...func() int) int {
	replies := make(chan int, len(ask))
	for _, f := range ask {
		go func() { replies <- f() }()
	}
	for range ask {
		if r := <-replies; r > 0 {
			return r
		}
	}
	return 0
}

func until(n int) (sum int) {
	numbers := make(chan int)
	go func() {
		defer close(numbers)
		for i := range n {
			numbers <- i // want `the goroutine may wait forever to send to numbers`
		}
	}()
	for i := range numbers {
		if i > 10 {
			break
		}
		sum += i
	}
	return sum
}

func untilClosed(n int) (sum int) {
	numbers := make(chan int)
	go func() {
		defer close(numbers)
		for i := range n {
			numbers <- i
		}
	}()
	for i := range numbers {
		sum += i
	}
	return sum
}

// Received by somebody else.
func drained(n int) {
	numbers := make(chan int)
	go func() {
		for i := range n {
			numbers <- i
		}
		close(numbers)
	}()
	if n > 10 {
		go func() {
			for range numbers {
			}
		}()
		return
	}
	for range numbers {
	}
}

// The channel is known elsewhere.
var global chan int

func escapes(check func() error) error {
	result := make(chan int)
	global = result
	go func() { result <- work() }()
	if err := check(); err != nil {
		return err
	}
	<-result
	return nil
}

func produce(out chan<- int) {
	out <- work() // want `the goroutine may wait forever to send to result`
}

func named(ctx context.Context) (int, error) {
	result := make(chan int)
	go produce(result)
	select {
	case v := <-result:
		return v, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// A group as golang.org/x/sync/errgroup's.
type group struct{}

func (*group) Go(func() error) {}
func (*group) Wait() error     { return nil }

func stuckProducer(g *group, ctx context.Context, n int) (sum int, err error) {
	numbers := make(chan int)
	g.Go(func() error {
		defer close(numbers)
		for i := range n {
			numbers <- i // want `the goroutine may wait forever to send to numbers`
		}
		return nil
	})
	g.Go(func() error {
		for {
			select {
			case i, ok := <-numbers:
				if !ok {
					return nil
				}
				sum += i
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	return sum, g.Wait()
}

func neverTold(check func() error) error {
	start := make(chan bool)
	go func() {
		<-start // want `the goroutine may wait forever to receive from start: the only sender can return before it sends or closes it`
		work()
	}()
	if err := check(); err != nil {
		return err
	}
	start <- true
	return nil
}

func told(check func() error) error {
	start := make(chan bool)
	defer close(start)
	go func() {
		<-start
		work()
	}()
	return check()
}

func consumer(items []int, check func(int) error) error {
	in := make(chan int)
	go func() {
		for range in { // want `the goroutine may range over in forever: the only function that closes it can return before it does`
			work()
		}
	}()
	for _, i := range items {
		if err := check(i); err != nil {
			return err
		}
		in <- i
	}
	close(in)
	return nil
}

func consumerDeferred(items []int, check func(int) error) error {
	in := make(chan int)
	defer close(in)
	go func() {
		for range in {
			work()
		}
	}()
	for _, i := range items {
		if err := check(i); err != nil {
			return err
		}
		in <- i
	}
	return nil
}

func alone() int {
	ch := make(chan int)
	ch <- 1 // want `the send to ch never ends: no other goroutine knows the channel, and it has no buffer`
	return <-ch
}

func aloneBuffered() int {
	ch := make(chan int, 1)
	ch <- 1
	return <-ch
}

// A way to wait forever.
func forever() {
	<-make(chan int)
}

// Each round makes a channel of its own.
func rounds(n int) (sum int) {
	for range n {
		result := make(chan int)
		go func() { result <- work() }() // want `the goroutine may wait forever to send to result`
		select {
		case v := <-result:
			sum += v
		case <-time.After(time.Second):
		}
	}
	return sum
}

func roundsReceived(n int) (sum int) {
	for range n {
		result := make(chan int)
		go func() { result <- work() }()
		sum += <-result
	}
	return sum
}

func countedByLength(work []func() int) (sum int) {
	result := make(chan int)
	for _, f := range work {
		go func() { result <- f() }()
	}
	for range len(work) {
		sum += <-result
	}
	return sum
}

func countedAndStopped(work []func() int) (sum int) {
	result := make(chan int)
	for _, f := range work {
		go func() { result <- f() }() // want `the goroutine may wait forever to send to result`
	}
	for range len(work) {
		if sum += <-result; sum > 100 {
			return sum
		}
	}
	return sum
}

// retried has one goroutine at a time, and receives from each.
func retried(fetch func() error, wait func() bool, quit <-chan bool) bool {
	done := make(chan error)
	for {
		go func() { done <- fetch() }()
		select {
		case err := <-done:
			if err == nil {
				return true
			}
			if wait() {
				return false
			}
		case <-quit:
			<-done
			return false
		}
	}
}

// abandoned does not receive from the last.
func abandoned(fetch func() error, quit <-chan bool) bool {
	done := make(chan error)
	for {
		go func() { done <- fetch() }() // want `the goroutine may wait forever to send to done: the only receiver can return before it receives`
		select {
		case err := <-done:
			if err == nil {
				return true
			}
		case <-quit:
			return false
		}
	}
}

// overtaken starts another one before it has received from the first, sometimes.
func overtaken(fetch func() error, tick <-chan bool) bool {
	done := make(chan error)
	for {
		go func() { done <- fetch() }() // want `the goroutine may wait forever to send to done: the only receiver can return before it receives`
		select {
		case err := <-done:
			if err == nil {
				return true
			}
		case <-tick:
		}
	}
}

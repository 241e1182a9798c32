package resetrace

import (
	"testing"
	"time"
)

func TestSession(t *testing.T) {
	s := New(time.Millisecond)
	time.Sleep(time.Millisecond)
	s.Touch(time.Millisecond)
	<-s.expired
	time.Sleep(5 * time.Millisecond) // a second end would come now
}

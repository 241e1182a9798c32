package tickerstop

import (
	"testing"
	"time"
)

func TestPoller(t *testing.T) {
	p := Start(time.Millisecond)
	time.Sleep(time.Millisecond)
	p.Stop()
}

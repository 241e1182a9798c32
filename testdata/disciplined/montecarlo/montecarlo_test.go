package montecarlo

import "testing"

func TestMean(t *testing.T) {
	share := Share{Price: 100, Drift: 0.05, Volatility: 0.2}
	one, _ := Mean(share, 24, 20, 1)
	mean, deviation := Mean(share, 24, 20, 4)
	if one != mean {
		t.Errorf("mean %g with one worker, %g with four", one, mean)
	}
	if mean < 80 || mean > 130 || deviation < 5 || deviation > 50 {
		t.Errorf("mean %g, standard deviation %g", mean, deviation)
	}
}

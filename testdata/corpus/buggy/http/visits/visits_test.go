package visits

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

func TestPage(t *testing.T) {
	srv := httptest.NewServer(new(Page))
	defer srv.Close()
	var bodies [2]string
	var wg sync.WaitGroup
	for i := range bodies {
		wg.Go(func() { bodies[i] = get(t, srv.Client(), srv.URL) })
	}
	wg.Wait()
	if bodies[0] == bodies[1] {
		t.Errorf("two visits have the number %s", bodies[0])
	}
}

func get(t *testing.T, client *http.Client, url string) string {
	resp, err := client.Get(url)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return string(body)
}

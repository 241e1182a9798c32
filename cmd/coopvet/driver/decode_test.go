package driver

import "testing"

// What Go 1.25's go vet prints to its standard error: the tool's output, and errors.
func TestSeparate(t *testing.T) {
	const mixed = `# m/store
{}
# m/bad
bad.go:3:13: cannot use "" as int value
# m
{
	"m": {
		"condwait": []
	}
}
# m/worse
worse.go:1:1: expected 'package'
`
	objects, rest := separate(mixed)
	const wantObjects = "{}\n{\n\t\"m\": {\n\t\t\"condwait\": []\n\t}\n}\n"
	const wantRest = "# m/bad\nbad.go:3:13: cannot use \"\" as int value\n# m/worse\nworse.go:1:1: expected 'package'\n"
	if string(objects) != wantObjects || rest != wantRest {
		t.Errorf("objects\n%s\nand\n%s", objects, rest)
	}
}

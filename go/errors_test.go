// SPDX-License-Identifier: MIT

package flakecore

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// statuses gives the codes of the header by name, "FLAKE_E_CLOSED"; also that of the end.
func statuses(t *testing.T) map[string]int64 {
	t.Helper()
	header, err := os.ReadFile("../core/flakecore.h")
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]int64{}
	for _, found := range regexp.MustCompile(`(?m)^  (FLAKE_\w+) = (-\d+),? +/\*`).
		FindAllStringSubmatch(string(header), -1) {
		if codes[found[1]], err = strconv.ParseInt(found[2], 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	return codes
}

// variables gives the name of the status that each Err variable of errors.go stands for.
func variables(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if ok && strings.HasPrefix(spec.Names[0].Name, "Err") {
			status := spec.Values[0].(*ast.CallExpr).Args[0].(*ast.SelectorExpr).Sel.Name
			names[status] = spec.Names[0].Name
		}
		return true
	})
	return names
}

func TestEachStatusIsExactlyOneError(t *testing.T) {
	codes, names := statuses(t), variables(t)
	end := codes["FLAKE_STATUS_END"]
	delete(codes, "FLAKE_STATUS_END")
	if int64(len(codes)) != -end-1 || len(byCode) != len(codes) || len(names) != len(codes) {
		t.Fatalf("%d codes, %d errors, %d variables, end %d", len(codes), len(byCode), len(names), end)
	}
	for name, code := range codes {
		err := byCode[code]
		if err == nil || err.Code() != int(code) || err.Text() == "" {
			t.Fatalf("%s is %v", name, err)
		}
		if wanted := strings.ToLower(strings.TrimPrefix(name, "FLAKE_E_")); err.Name() != wanted {
			t.Errorf("%s is named %s", name, err.Name())
		}
		camel := "Err"
		for _, word := range strings.Split(err.Name(), "_") {
			camel += strings.ToUpper(word[:1]) + word[1:]
		}
		if names[name] != camel {
			t.Errorf("%s is %s, not %s", name, names[name], camel)
		}
		if class := err.Class(); class == ClassOK || class == "" {
			t.Errorf("%s is of class %s", name, class)
		}
	}
}

func TestAnUnknownCodeIsAnErrorWithThatCode(t *testing.T) {
	err := errorOf(-4095)
	if err.Code() != -4095 || err.Name() != "unknown" || err.Class() != ClassOperator ||
		!strings.Contains(err.Error(), "newer than the program") {
		t.Fatal(err)
	}
	if errors.Is(err, ErrClosed) || !errors.Is(err, errorOf(-4095)) {
		t.Fatal("codes are not compared")
	}
}

func TestAnErrorIsTheSameWhateverItsTextAndAroundOthers(t *testing.T) {
	err := fmt.Errorf("no order: %w", ErrExhausted.because("%d", 7))
	if !errors.Is(err, ErrExhausted) || errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
	var found *Error
	if !errors.As(err, &found) || found.Class() != ClassRetry || found.Error() != "flakecore: 7" {
		t.Fatal(found)
	}
	if errors.Is(ErrClosed, errors.New("closed")) || errors.Is(ErrClosed, nil) {
		t.Fatal("equal to a stranger")
	}
}

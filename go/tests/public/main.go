// SPDX-License-Identifier: MIT

// Command public prints what the package offers, for ci/parity: a kind, a name, and how Go calls
// it. Names are those that its sources declare, which is what an import compiles.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// prefixes are those of the core's enumerators, by the type of the words that stand for them.
var prefixes = map[string]string{"Class": "CLASS", "Format": "FORMAT", "Mode": "MODE",
	"ClockSource": "CLOCK", "HostGuard": "GUARD", "Level": "LEVEL", "Reason": "REASON"}

func main() {
	isSource := func(file fs.FileInfo) bool { return !strings.HasSuffix(file.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), "../../go", isSource, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, file := range packages["flakecore"].Files {
		for _, declared := range file.Decls {
			switch declared := declared.(type) {
			case *ast.FuncDecl:
				function(declared)
			case *ast.GenDecl:
				for _, spec := range declared.Specs {
					specified(spec)
				}
			}
		}
	}
}

// name prints a name unless a part of it is private.
func name(parts ...string) {
	for _, part := range parts {
		if !ast.IsExported(part) {
			return
		}
	}
	whole := strings.Join(parts, ".")
	fmt.Printf("name\t%s\t%s\n", whole, whole)
}

func function(declared *ast.FuncDecl) {
	if declared.Recv == nil {
		name(declared.Name.Name)
		return
	}
	receiver := declared.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	name(receiver.(*ast.Ident).Name, declared.Name.Name)
}

func specified(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		name(spec.Name.Name)
		if fields, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range fields.Fields.List {
				for _, each := range field.Names {
					name(spec.Name.Name, each.Name)
				}
			}
		}
	case *ast.ValueSpec:
		for i, each := range spec.Names {
			name(each.Name)
			if len(spec.Values) > i {
				value(each.Name, spec.Type, spec.Values[i])
			}
		}
	}
}

// value prints what a constant or a variable stands for: an enumerator by its word, or a status.
func value(variable string, of, value ast.Expr) {
	if call, ok := value.(*ast.CallExpr); ok && strings.HasPrefix(variable, "Err") {
		status := call.Args[0].(*ast.SelectorExpr).Sel.Name
		fmt.Printf("status\t%s\t%s\n", strings.ToLower(strings.TrimPrefix(status, "FLAKE_E_")), variable)
	}
	word, isWord := value.(*ast.BasicLit)
	if kind, ok := of.(*ast.Ident); ok && isWord && prefixes[kind.Name] != "" {
		text, err := strconv.Unquote(word.Value)
		if err != nil {
			panic(err)
		}
		fmt.Printf("value\tFLAKE_%s_%s\t%s\n", prefixes[kind.Name], strings.ToUpper(text), text)
	}
}

module github.com/flakecore/flakecore/go/tests

go 1.19

require (
	github.com/flakecore/flakecore v0.0.0
	pgregory.net/rapid v1.1.0
)

replace github.com/flakecore/flakecore => ../..

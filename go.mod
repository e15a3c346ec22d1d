module github.com/flakecore/flakecore

go 1.19

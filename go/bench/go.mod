module github.com/flakecore/flakecore/go/bench

go 1.23

require (
	github.com/bwmarrin/snowflake v0.3.0
	github.com/flakecore/flakecore v0.0.0
	github.com/sony/sonyflake v1.2.0
)

replace github.com/flakecore/flakecore => ../..

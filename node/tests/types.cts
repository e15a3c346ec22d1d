// SPDX-License-Identifier: MIT
// Never run: the types as CommonJS sees them.
import flakecore = require('flakecore');
import testing = require('flakecore/testing');

const gen = new flakecore.Generator({ node: 1, clock: new testing.TestClock(0) });
const id: flakecore.FlakeId = gen.nextId();
// @ts-expect-error
flakecore.decode(7);

/** A process of tests that is told to end ends when it has written what V8 counted in it, which may take it seconds. */
if (process.env['NODE_V8_COVERAGE'] !== undefined) process.on('SIGTERM', () => process.exit());

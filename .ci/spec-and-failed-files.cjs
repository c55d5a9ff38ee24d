'use strict';

const { appendFileSync } = require('node:fs');
const { env } = require('node:process');
const { reporters } = require('mocha');

/** Mocha's reporter `spec`, which also writes the file of each failure, a line each, into the file that FAILED_FILES names. */
module.exports = class SpecAndFailedFiles extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.on('fail', ({ file }) => appendFileSync(env.FAILED_FILES, `${file}\n`));
  }
};

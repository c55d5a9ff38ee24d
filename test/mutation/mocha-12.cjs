'use strict';

// The runner looks for Mocha's parts without their endings, which are `.cjs` since Mocha 12.
require.extensions['.cjs'] ??= require.extensions['.js'];

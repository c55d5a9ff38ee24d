import { runOps } from '../../src/cli/run-ops.js';

await runOps(() => import('./registry.js').then(({ registry }) => registry));

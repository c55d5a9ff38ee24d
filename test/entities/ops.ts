import { runOps } from '../../src/cli/run-ops.js';
import { registry } from './registry.js';

await runOps(registry);

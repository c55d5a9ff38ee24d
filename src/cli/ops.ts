#!/usr/bin/env -S node --max-old-space-size=380 --max-semi-space-size=32 --heap-growing-percent=100
import { runOps } from './run-ops.js';

await runOps(() => import('../entities/registry.js').then(({ registry }) => registry));

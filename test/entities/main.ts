import { runService } from '../../src/composition/run-service.js';
import { registry } from './registry.js';

await runService(registry);

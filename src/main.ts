import { runService } from './composition/run-service.js';
import { registry } from './entities/registry.js';

await runService(registry);

import { runService } from './composition/run-service.js';
import { registry } from './entities/registry.js';

if (process.argv.length === 2) await runService(registry);
else {
  process.stderr.write(
    'The service takes no arguments. Its settings are variables of the environment: docs/configuration.md\n',
  );
  process.exitCode = 2;
}

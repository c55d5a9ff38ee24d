import type { Command } from 'commander';
import { migrateReadModels } from '../../projections/engine/postgres/schema/schema.js';
import { migrateAccess } from '../infrastructure/postgres/access/schema.js';
import { migrateBackups } from '../infrastructure/postgres/backup-record.js';
import { migrateErasure } from '../infrastructure/postgres/erasure/key-state.js';
import { migrateSeal } from '../infrastructure/postgres/seal/schema.js';
import type { Registry } from '../entities/registry.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { print } from './output.js';
import { type ReadModels, withReadModels } from './projections/with-read-models.js';
import { runCommand } from './run-command.js';

const migrateAll = async ({ pool }: ReadModels): Promise<ExitCode> => {
  // to open the log was to migrate it
  await migrateReadModels(pool);
  await migrateSeal(pool);
  await migrateBackups(pool);
  await migrateAccess(pool);
  await migrateErasure(pool);
  print(
    'the event log, the read models, the checkpoints and the records of backups and reads have the tables of this version',
  );
  return EXIT.ok;
};

export const addMigrate = (program: Command, registry: Registry): void => {
  program
    .command('migrate')
    .description(
      'creates the tables of the event log, of the read models, of the checkpoints, and of the records of backups and reads, or brings them to the version of this program\n' +
        '(a service does so by itself where its role may; run it as the owner where it may not: docs/production.md)',
    )
    .action(() => runCommand((config, signal) => withReadModels(config, registry, signal, migrateAll, false)));
};

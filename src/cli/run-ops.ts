import { Command, CommanderError } from 'commander';
import type { Registry } from '../entities/registry.js';
import { addPack } from './audit/pack.js';
import { EXIT } from './exit-code.js';
import { addEvents } from './events/list-events.js';
import { addVerifyFiles } from './files/verify.js';
import { addCopy } from './log/copy.js';
import { addExport } from './log/export.js';
import { addImport } from './log/import.js';
import { addKey, addNewKey } from './log/key.js';
import { addRequireMac } from './log/require-mac.js';
import { addRestartSeal } from './log/restart-seal.js';
import { addVerify } from './log/verify.js';
import { addMigrate } from './migrate.js';
import { addParked } from './projections/parked.js';
import { addRebuild } from './projections/rebuild.js';
import { addRollback } from './projections/rollback.js';
import { addStatus } from './projections/status.js';
import { addVerifyRows } from './projections/verify.js';

const ABOUT = `
Settings are those of the service (docs/configuration.md): the commands work on the log and the databases that it works on.

Exit codes: 0 done, nothing wrong; 1 something wrong was found, or it could not be done; 2 the command line or the
configuration is not valid; 130 interrupted.`;

/** Runs the command of this process's arguments and sets the exit code. */
export const runOps = async (registry: Registry): Promise<void> => {
  const program = new Command('ops')
    .description("the operator's commands")
    .addHelpText('after', ABOUT)
    .showHelpAfterError('(--help shows the commands and options)')
    .exitOverride();
  const log = program
    .command('log')
    .description('the event log: verify, export, import, copy, require macs, keys, restart the seal');
  for (const add of [addVerify, addExport, addImport, addCopy, addRequireMac, addKey, addNewKey, addRestartSeal])
    add(log, registry);
  const projections = program
    .command('projections')
    .description('the read models: status, verify, parked entities, rebuild, roll back');
  for (const add of [addStatus, addVerifyRows, addParked, addRebuild, addRollback]) add(projections, registry);
  const files = program.command('files').description('the stored files: verify');
  addVerifyFiles(files, registry);
  const audit = program.command('audit').description('for auditors: pack the history of records');
  addPack(audit, registry);
  addEvents(program, registry);
  addMigrate(program, registry);
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // commander has said what is wrong, or shown the help that was asked for
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
};

import type { Command } from 'commander';
import type { Registry } from '../../entities/registry.js';
import { addCopy } from './copy.js';
import { addExport } from './export.js';
import { addImport } from './import.js';
import { addVerify } from './verify.js';

/** `ops log …` */
export const addLogCommands = (ops: Command, registry: Registry): void => {
  const log = ops.command('log').description('the event log: verify, export, import, copy');
  for (const add of [addVerify, addExport, addImport, addCopy]) add(log, registry);
};

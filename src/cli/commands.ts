import type { Command } from 'commander';
import type { Registry } from '../entities/registry.js';

/** Adds a command to the program, or to its group. */
type AddCommand = (to: Command, registry: Registry) => void;

/** The modules of a command are loaded when it runs, or when its help is shown: all of them take most of a second. */
export type Commands = Readonly<Record<string, () => Promise<AddCommand>>>;

type Group = { readonly description: string; readonly commands: Commands };

const log: Commands = {
  verify: () => import('./log/verify.js').then(({ addVerify }) => addVerify),
  export: () => import('./log/export.js').then(({ addExport }) => addExport),
  import: () => import('./log/import.js').then(({ addImport }) => addImport),
  copy: () => import('./log/copy.js').then(({ addCopy }) => addCopy),
  'require-mac': () => import('./log/require-mac.js').then(({ addRequireMac }) => addRequireMac),
  'seal-decisions': () => import('./log/seal-decisions.js').then(({ addSealDecisions }) => addSealDecisions),
  key: () => import('./log/key.js').then(({ addKey }) => addKey),
  'new-key': () => import('./log/key.js').then(({ addNewKey }) => addNewKey),
  'replace-key': () => import('./log/replace-key.js').then(({ addReplaceKey }) => addReplaceKey),
  'restart-seal': () => import('./log/restart-seal.js').then(({ addRestartSeal }) => addRestartSeal),
};

const projections: Commands = {
  status: () => import('./projections/status.js').then(({ addStatus }) => addStatus),
  verify: () => import('./projections/verify.js').then(({ addVerifyRows }) => addVerifyRows),
  parked: () => import('./projections/parked.js').then(({ addParked }) => addParked),
  rebuild: () => import('./projections/rebuild.js').then(({ addRebuild }) => addRebuild),
  rollback: () => import('./projections/rollback.js').then(({ addRollback }) => addRollback),
};

const erase: Commands = {
  plan: () => import('./erase/plan.js').then(({ addPlan }) => addPlan),
  run: () => import('./erase/run.js').then(({ addRun }) => addRun),
  list: () => import('./erase/list.js').then(({ addList }) => addList),
  'rotate-key': () => import('./erase/rotate-key.js').then(({ addRotateKey }) => addRotateKey),
};

/** The groups of commands, by name. */
export const groups: Readonly<Record<string, Group>> = {
  log: {
    description: 'the event log: verify, export, import, copy, require macs, keys, restart the seal',
    commands: log,
  },
  projections: {
    description: 'the read models: status, verify, parked entities, rebuild, roll back',
    commands: projections,
  },
  files: {
    description: 'the stored files: verify',
    commands: { verify: () => import('./files/verify.js').then(({ addVerifyFiles }) => addVerifyFiles) },
  },
  erase: {
    description: 'personal data: plan an erasure, carry it out, list those that were recorded, rotate the key',
    commands: erase,
  },
  audit: {
    description: 'for auditors: pack the history of records',
    commands: { pack: () => import('./audit/pack.js').then(({ addPack }) => addPack) },
  },
};

/** The commands in no group, by name. */
export const ungrouped: Commands = {
  backup: () => import('./backup/backup.js').then(({ addBackup }) => addBackup),
  restore: () => import('./backup/restore.js').then(({ addRestore }) => addRestore),
  events: () => import('./events/list-events.js').then(({ addEvents }) => addEvents),
  reads: () => import('./reads/reads.js').then(({ addReads }) => addReads),
  hold: () => import('./hold/hold.js').then(({ addHold }) => addHold),
  migrate: () => import('./migrate.js').then(({ addMigrate }) => addMigrate),
};

import { Option } from 'commander';

/** Writes a result, which is all that standard output has: a script reads it. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Writes a line that is no result to standard error: progress, or why something was not done. */
export const printNote = (text: string): void => void process.stderr.write(`${text}\n`);

export type JsonOption = { readonly json?: true };

/** `--json`. `lines` describes what standard output then has; docs/ops-json.md has the members. */
export const jsonOption = (lines: string): Option => new Option('--json', lines);

/** One finding, as a person or as a machine reads it: an object is one line. */
export const printFinding = ({ json }: JsonOption, text: string, object: object): void =>
  print(json === true ? JSON.stringify(object) : text);

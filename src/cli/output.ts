import { Option } from 'commander';
import { EXIT, type ExitCode } from './exit-code.js';

/** Writes a result, which is all that standard output has: a script reads it. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Writes a line that is no result to standard error: progress, or why something was not done. */
export const printNote = (text: string): void => void process.stderr.write(`${text}\n`);

/** Says why a command did not do what it was asked. */
export const failed = (why: string): ExitCode => {
  printNote(why);
  return EXIT.failed;
};

/** Says how far a command came before it was interrupted. */
export const interrupted = (how: string): ExitCode => {
  printNote(`interrupted after ${how}`);
  return EXIT.interrupted;
};

export type JsonOption = { readonly json?: true };

/** `--json`. `lines` describes what standard output then has; docs/ops-json.md has the members. */
export const jsonOption = (lines: string): Option => new Option('--json', lines);

/** One finding, as a person or as a machine reads it: an object is one line. */
export const printFinding = ({ json }: JsonOption, text: string, object: object): void =>
  print(json === true ? JSON.stringify(object) : text);

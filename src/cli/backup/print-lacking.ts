import type { Lacking } from '../../backup/manifest.js';
import { type JsonOption, printFinding } from '../output.js';

const WORDS = {
  missing: 'missing',
  different: 'different',
  undecodable: 'not known',
} satisfies Readonly<Record<Lacking['kind'], string>>;

/** Says which file of an event is not as the event says. */
export const printLacking = (lacking: Lacking, options: JsonOption): void => {
  const { kind, stream, revision, key, reason } = lacking;
  const where = [key, stream, `revision ${revision}`].filter((part) => part !== null);
  printFinding(options, `${WORDS[kind]}: ${where.join(', ')}: ${reason}`, { kind, stream, revision, key, reason });
};

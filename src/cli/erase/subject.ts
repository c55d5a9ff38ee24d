import { InvalidArgumentError } from 'commander';
import type { Subject } from '../../application/erasure/find-events.js';
import { isUuid } from '../../event-sourcing/uuid.js';

/** Whose data a command is about, as it is given: `business/ID`, `document/ID`, `owner/USER`. */
export const subjectArgument = (text: string): Subject => {
  const at = text.indexOf('/');
  const [kind, name] = [text.slice(0, at), text.slice(at + 1)];
  if (kind === 'owner' && name !== '') return { kind, user: name };
  if ((kind === 'business' || kind === 'document') && isUuid(name)) return { kind, id: name };
  throw new InvalidArgumentError('Give business/ID, document/ID or owner/USER.');
};

export const nameOf = (subject: Subject): string =>
  `${subject.kind}/${subject.kind === 'owner' ? subject.user : subject.id}`;

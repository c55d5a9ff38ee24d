import { InvalidArgumentError } from 'commander';
import type { Registry } from '../../entities/registry.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { isUuid } from '../../event-sourcing/uuid.js';

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** How records are named, in a sentence: `business/ID or document/ID`. */
export const recordsIn = ({ entities }: Registry): string =>
  alternatives.format(entities.map(({ projection }) => `${projection.category}/ID`));

/** The streams of the records that were named on the command line, for an argument that may be repeated. */
export const recordArgument =
  (registry: Registry) =>
  (text: string, before: ReadonlyArray<StreamName> = []): ReadonlyArray<StreamName> => {
    const [category = '', id = '', ...more] = text.split('/');
    const isKnown = registry.entities.some(({ projection }) => projection.category === category);
    if (!isKnown || !isUuid(id) || more.length > 0)
      throw new InvalidArgumentError(`A record is named ${recordsIn(registry)}, with the id that the API shows.`);
    const stream: StreamName = `${category}-${id}`;
    if (before.includes(stream)) throw new InvalidArgumentError('It is named twice.');
    return [...before, stream];
  };

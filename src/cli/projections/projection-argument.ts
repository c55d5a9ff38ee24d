import { Argument } from 'commander';
import { businesses } from '../../../projections/businesses.js';
import { documents } from '../../../projections/documents.js';

const all = { businesses, documents } as const;

export type ProjectionName = keyof typeof all;

/** `businesses` or `documents`. */
export const projectionArgument = (description: string): Argument =>
  new Argument('[projection]', description).choices(Object.keys(all));

/** Those that a command is asked for: one by its name, or all. */
export const namesOf = (asked: ProjectionName | undefined): ReadonlyArray<ProjectionName> =>
  asked === undefined ? ['businesses', 'documents'] : [asked];

import { expect } from 'chai';
import type { Reply } from './client.js';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What a record says of its own lifecycle: its revision is the one expected, the times are times, in their order. */
export const lifecycleIn = ({ json }: Reply, revision: number): Readonly<Record<string, unknown>> => {
  // reason: a test that is given another body fails below
  const { createdAt, updatedAt } = json as Readonly<Record<'createdAt' | 'updatedAt', string>>;
  expect(createdAt).to.match(ISO);
  expect(updatedAt).to.match(ISO);
  expect(updatedAt >= createdAt, `${updatedAt} is not before ${createdAt}`).to.equal(true);
  if (revision === 0) expect(updatedAt).to.equal(createdAt);
  return { createdAt, updatedAt, revision };
};

import { expect } from 'chai';
import { operationsStream } from '../../projections/skipped-event.js';
import { categoriesOf, registry } from '../../src/entities/registry.js';
import { SEAL_STREAM } from '../../src/event-sourcing/whole-log/seal-stream.js';
import { categoryOf } from '../../src/event-sourcing/recorded-event.js';

describe('the registry of entities', () => {
  it("counts the operators' decisions among what the log holds, beside every kind of entity", () => {
    const [businesses] = registry.entities;
    const decisions = categoryOf(operationsStream(businesses!.projection.name));
    expect(categoryOf(SEAL_STREAM)).to.equal(decisions);
    expect(categoriesOf(registry)).to.have.members(['business', 'document', decisions]);
  });
});

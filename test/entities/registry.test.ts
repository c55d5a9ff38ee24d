import { expect } from 'chai';
import { operationsStream } from '../../projections/skipped-event.js';
import { categoriesOf, registry } from '../../src/entities/registry.js';
import { categoryOf } from '../../src/event-sourcing/recorded-event.js';

describe('the registry of entities', () => {
  it("counts the operators' decisions among what the log holds, beside every kind of entity", () => {
    const [businesses] = registry.entities;
    const decisions = categoryOf(operationsStream(businesses!.projection.name));
    expect(categoriesOf(registry)).to.have.members(['business', 'document', decisions]);
  });
});

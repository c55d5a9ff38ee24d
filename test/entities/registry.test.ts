import { expect } from 'chai';
import { categoriesOf, registry } from '../../src/entities/registry.js';
import { decisionStream, SEAL_STREAM } from '../../src/event-sourcing/operators/decision-events.js';
import { categoryOf } from '../../src/event-sourcing/recorded-event.js';

describe('the registry of entities', () => {
  it("counts the operators' decisions among what the log holds, beside every kind of entity", () => {
    const [businesses] = registry.entities;
    const decisions = categoryOf(decisionStream(businesses!.projection.name));
    expect(categoryOf(SEAL_STREAM)).to.equal(decisions);
    expect(categoriesOf(registry)).to.have.members(['business', 'document', decisions]);
  });
});

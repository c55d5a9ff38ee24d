import { expect } from 'chai';
import type { EngineEvent } from '../../projections/engine/engine-event.js';
import { makeApplyToEntities } from '../../projections/engine/rows/apply-to-entities.js';
import { memoryPlace } from '../contract/read-model-storage/memory-place.js';
import {
  aBusiness,
  acquired,
  aProjection,
  aWriter,
  eventsOf,
  stepTo,
  streamOf,
  written,
} from '../contract/read-model-storage/storage-under-test.js';

describe('a row that shows more than the events of its record', () => {
  const arrange = async () => {
    const place = memoryPlace();
    await place.one.migrate();
    const writer = await aWriter(place, aProjection());
    const events: Array<EngineEvent> = [];
    const entity = aBusiness({ revision: 2n });
    await written(place, writer, stepTo(5n), entity);
    const rows = place.one.entityRows(writer);
    const apply = makeApplyToEntities(writer, rows, { onEvent: (event) => events.push(event) });
    const prepared = await apply.prepare(eventsOf(entity, { revision: 1n, position: 6n }));
    return { place, writer, events, prepared, stream: streamOf(entity) };
  };

  it('is reported when the batch is written', async () => {
    const { writer, events, prepared, stream } = await arrange();
    expect(events).to.deep.equal([]);
    expect(await prepared.write(stepTo(6n, 5n))).to.equal('live');
    const { name } = writer.projection;
    expect(events).to.deep.equal([{ _tag: 'Ahead', projection: name, stream, shown: 2n, newest: 1n }]);
  });

  it('is nothing to report where another process has written it, which holds the lease by now', async () => {
    const { place, writer, events, prepared } = await arrange();
    await place.letLeaseExpire(writer.name);
    await acquired(place.other, writer.name, 'other');
    expect(await prepared.write(stepTo(6n, 5n))).to.equal(undefined);
    expect(events).to.deep.equal([]);
  });
});

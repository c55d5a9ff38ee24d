import * as t from 'io-ts';
import { FieldsType } from './fields-type.js';

type Codecs = Readonly<Record<string, t.Mixed>>;

/** The keys that a codec of an object reads or shows, with the other names that it takes for them; none of any other codec. */
export const keysOf = (codec: t.Mixed): ReadonlyArray<string> => {
  if (codec instanceof FieldsType) {
    // reason: `instanceof` does not know the type's parameters
    const { props, aliases } = codec as FieldsType<Codecs, string>;
    return [...Object.keys(props), ...Object.values(aliases)];
  }
  if (codec instanceof t.InterfaceType || codec instanceof t.PartialType) return Object.keys(codec.props as Codecs);
  return codec instanceof t.IntersectionType ? (codec.types as ReadonlyArray<t.Mixed>).flatMap(keysOf) : [];
};

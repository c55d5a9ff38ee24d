import { either as E } from 'fp-ts';
import { field } from '../fields/field.js';
import { fields } from '../fields/fields-type.js';
import { explain, named, WHOLE_NUMBER } from '../fields/json-schema.js';
import { names } from '../fields/names.js';
import { readBoolean } from '../parameters/events.js';
import { parameter } from '../parameters/parameter.js';
import type { QueryValues } from '../parameters/query.js';
import type { RequestInvalid } from '../problem/failure.js';
import { decodeRequest } from '../request/decode.js';

const RevisionNumber = field<number>({
  expectation: 'a whole number of at least 0',
  schema: { ...WHOLE_NUMBER, maximum: Number.MAX_SAFE_INTEGER },
  read: (value) => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined),
});

/** What a revert of a kind of record asks for; `meant`: its fields by the names under which they are shown or sent. */
export const revertBody = <Field extends string>(name: string, meant: Readonly<Record<string, Field>>) =>
  named(
    name,
    explain(
      {
        '': 'What is to be as it was.',
        revision: 'The revision whose values come back.',
        fields: 'Those that get back what they had then. Without it: all that a revert can give back.',
      },
      fields({ revision: RevisionNumber, fields: names(meant) }, { required: ['revision'] }),
    ),
  );

export const UndoParameters = fields({
  preview: parameter<boolean>({
    expectation: 'true or false',
    meaning: 'Answers what would change, and changes nothing.',
    schema: { type: 'boolean' },
    read: readBoolean,
  }),
});

/** Whether only a preview is asked for. */
export const readPreview = (values: QueryValues): E.Either<RequestInvalid, boolean> =>
  E.map(({ preview = false }: { readonly preview?: boolean }) => preview)(decodeRequest(UndoParameters)(values));

import { revertibleOfDocument } from '../../application/document/undo-document.js';
import { field } from '../fields/field.js';
import { fields } from '../fields/fields-type.js';
import { explain, named } from '../fields/json-schema.js';
import { Kind } from '../fields/kind.js';
import { FormTags, Tags } from '../fields/tags.js';
import { linesOfText, requiredText, text } from '../fields/text.js';
import { revertBody } from '../record/undo-request.js';
import { documentMeanings } from './meanings.js';

const documentFields = {
  name: requiredText(),
  description: linesOfText(10_000),
  type: Kind,
  entityType: Kind,
  entity: text(),
};

/** JSON brings no file: what was sent under this name would be lost without a word. */
const NoFile = field<null>({
  expectation:
    'null: JSON brings no file; send it as multipart/form-data, or by PUT /api/v1/document/{documentId}/file',
  schema: {
    type: ['string', 'null'],
    enum: ['', null],
    description: "No file, and one that is there stays: PUT of the document's file takes one.",
  },
  read: (value) => (value === null || value === '' ? null : undefined),
});

const jsonFields = { ...documentFields, tags: Tags, file: NoFile };
const formFields = { ...documentFields, tags: FormTags };

export const CreateDocumentBody = named(
  'NewDocument',
  explain(
    { ...documentMeanings, '': 'A document to be created, without a file.' },
    fields(jsonFields, { required: ['name'] }),
  ),
);

/** Absent keeps, null clears; `name` cannot be cleared. */
export const UpdateDocumentBody = named(
  'DocumentChanges',
  explain(
    { ...documentMeanings, '': 'What is to change of a document: null clears, what is absent stays.' },
    fields(jsonFields),
  ),
);

/** The fields of form data beside its file. */
export const CreateDocumentForm = explain(documentMeanings, fields(formFields, { required: ['name'] }));

export const UpdateDocumentForm = explain(documentMeanings, fields(formFields));

export const RevertDocumentBody = revertBody(
  'DocumentRevert',
  Object.fromEntries(revertibleOfDocument.map((name) => [name, name])),
);

import { FORM_TYPE, formOf } from './multipart-form.js';
import { tokenFor } from './service-process.js';

/** Has a service store a document with a file; gives its id. */
export const uploadDocument = async (address: string, name: string, content: string): Promise<string> => {
  const sent = await fetch(`${address}/api/v1/document`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await tokenFor('admin', 'alice')}`, 'Content-Type': FORM_TYPE },
    body: formOf({ name: 'name', content: name }, { name: 'file', content, filename: 'a.txt' }),
  });
  if (sent.status !== 200) throw new Error(`the upload was answered ${sent.status}`);
  return ((await sent.json()) as { readonly _id: string })._id; // reason: what the operation answers
};

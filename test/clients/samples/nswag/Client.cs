using System.Net.Http.Headers;
using System.Text.Json;
using Clients;
using Generated;

Bridge.RequireNullableText(typeof(Business), nameof(Business.City), nameof(Business.Website), nameof(Business.BusinessType));
Bridge.RequireLong(typeof(Document), nameof(Document.Size));
await Bridge.Run(token => new Client(args[0], token));

class Client(string address, string? token) : IClient
{
    private readonly Api api = MakeApi(address, token);

    private static Api MakeApi(string address, string? token)
    {
        var http = new HttpClient();
        if (token != null) http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);
        return new Api(http) { BaseUrl = address };
    }

    private static async Task<A> Answer<A>(Func<Task<A>> send)
    {
        try
        {
            return await send();
        }
        catch (ApiException<Error> error)
        {
            throw new Refused(error.StatusCode, error.Result.Code);
        }
    }

    private static BusinessSeen Seen(Business business) =>
        new(business._id, business.Revision, business.Name, business.City, business.Website);

    private static DocumentSeen Seen(Document document) =>
        new(document._id, document.Name, document.OriginalName, document.Size);

    public Task<BusinessSeen> Create(string name, string? key) =>
        Answer(async () => Seen((await api.CreateBusinessAsync(
            if_Match: null, if_None_Match: null, idempotency_Key: key, change_Reason: null, prefer: null,
            body: new() { Name = name, City = "Berlin" })).Result));

    public Task<BusinessSeen> Get(string id) =>
        Answer(async () => Seen((await api.GetBusinessAsync(
            id, revision: null, at: null, if_Match: null, if_None_Match: null, prefer: null)).Result));

    public Task<PageSeen> List(string name, int limit, string? after) =>
        Answer(async () =>
        {
            var page = await api.ListBusinessesAsync(
                name, businessType: null, parent: null, ein: null, owner: null, ids: null, q: null,
                createdSince: null, updatedSince: null, sort: null, limit, after, prefer: null);
            var link = page.Headers.TryGetValue("Link", out var values) ? string.Join(", ", values) : null;
            return new PageSeen(page.Result.Select(Seen), link);
        });

    // it sends the members that were not set, too, as null, which clears them: the name has to stay
    public Task<BusinessSeen> Update(string id, long revision, string website) =>
        Answer(async () => Seen((await api.UpdateBusinessAsync(
            id, if_Match: $"\"{revision}\"", if_None_Match: null, idempotency_Key: null, change_Reason: null, prefer: null,
            body: new() { Name = "Acme Inc.", Website = website })).Result));

    // it also asks for the fields of the form, of which it sends none
    public Task<DocumentSeen> CreateDocument(string name) =>
        Answer(async () => Seen((await api.CreateDocumentAsync(
            if_Match: null, if_None_Match: null, idempotency_Key: null, change_Reason: null, prefer: null,
            body: new() { Name = name }, file: null!, name: null, description: null, type: null, entityType: null,
            entity: null, tags: null)).Result));

    public Task<DocumentSeen> PutFile(string id, byte[] file, string originalName) =>
        Answer(async () => Seen((await api.PutDocumentFileAsync(
            id, originalName, if_Match: null, if_None_Match: null, idempotency_Key: null, change_Reason: null,
            content_Disposition: null, prefer: null, body: new MemoryStream(file))).Result));

    public Task<byte[]> Download(string id) =>
        Answer(async () =>
        {
            using var file = await api.GetDocumentFileAsync(
                id, revision: null, at: null, if_Match: null, if_None_Match: null, range: null, if_Range: null,
                prefer: null);
            using var bytes = new MemoryStream();
            await file.Stream.CopyToAsync(bytes);
            return bytes.ToArray();
        });

    public Task<IEnumerable<string?>> WebsitesSet(string id) =>
        Answer(async () =>
        {
            var events = await api.ListBusinessEventsAsync(
                id, from: null, limit: null, order: null, proof: null, diff: null, after: null, if_Match: null,
                if_None_Match: null, last_Event_ID: null, prefer: null);
            return events.Result
                .Where(member => NameOf(member.AdditionalProperties) == "BusinessUpdated")
                .Select(member => As<BusinessUpdated>(member.AdditionalProperties).Data.Changes.Website);
        });

    public Task<IEnumerable<LedgerEventSeen>> Ledger(string id) =>
        Answer(async () =>
        {
            var events = await api.ListAllEventsAsync(
                user: null, entityType: null, entity: id, name: null, field: null, @ref: null, reason: null, value: null,
                since: null, until: null, diff: null, after: null, limit: null, order: null, bom: null,
                last_Event_ID: null, prefer: null);
            return events.Result.Select(member => new LedgerEventSeen(
                ((JsonElement)member.AdditionalProperties["index"]).GetInt64(), NameOf(member.AdditionalProperties)));
        });

    // of a union it makes one class without members, which keeps what it was given
    private static string NameOf(IDictionary<string, object> members) => ((JsonElement)members["name"]).GetString()!;

    private static A As<A>(IDictionary<string, object> members) =>
        JsonSerializer.Deserialize<A>(JsonSerializer.Serialize(members))!;
}

using Clients;
using Generated;
using Generated.Models;
using Microsoft.Kiota.Abstractions;
using Microsoft.Kiota.Abstractions.Authentication;
using Microsoft.Kiota.Abstractions.Serialization;
using Microsoft.Kiota.Http.HttpClientLibrary;
using Microsoft.Kiota.Http.HttpClientLibrary.Middleware.Options;

Bridge.RequireNullableText(typeof(Business), nameof(Business.City), nameof(Business.Website), nameof(Business.Phone));
Bridge.RequireLong(typeof(Document), nameof(Document.Size));
await Bridge.Run(token => new Client(args[0], token));

class Client : IClient
{
    private readonly HttpClientRequestAdapter adapter;
    private readonly ServiceClient api;

    public Client(string address, string? token)
    {
        IAuthenticationProvider authentication = token == null
            ? new AnonymousAuthenticationProvider()
            : new BaseBearerTokenAuthenticationProvider(new FixedToken(token));
        adapter = new HttpClientRequestAdapter(authentication);
        // after the client is made, which takes the description's own address, `.`
        api = new ServiceClient(adapter);
        adapter.BaseUrl = address;
    }

    private class FixedToken(string token) : IAccessTokenProvider
    {
        public AllowedHostsValidator AllowedHostsValidator { get; } = new();

        public Task<string> GetAuthorizationTokenAsync(
            Uri uri, Dictionary<string, object>? context = null, CancellationToken cancellation = default) =>
            Task.FromResult(token);
    }

    private static async Task<A> Answer<A>(Func<Task<A>> send)
    {
        try
        {
            return await send();
        }
        catch (Error error)
        {
            throw new Refused(error.ResponseStatusCode, error.Code);
        }
    }

    private static BusinessSeen Seen(Business? business) =>
        new(business!.Id!, business.Revision!.Value, business.Name, business.City, business.Website);

    private static DocumentSeen Seen(Document? document) =>
        new(document!.Id!, document.Name, document.OriginalName, document.Size);

    public Task<BusinessSeen> Create(string name, string? key) =>
        Answer(async () => Seen(await api.Api.V1.Business.PostAsync(
            new() { Name = name, City = "Berlin" },
            request =>
            {
                if (key != null) request.Headers.Add("Idempotency-Key", key);
            })));

    public Task<BusinessSeen> Get(string id) => Answer(async () => Seen(await api.Api.V1.Business[id].GetAsync()));

    public Task<PageSeen> List(string name, int limit, string? after) =>
        Answer(async () =>
        {
            var seen = new HeadersInspectionHandlerOption { InspectResponseHeaders = true };
            var page = await api.Api.V1.Business.GetAsync(request =>
            {
                request.QueryParameters.Name = name;
                request.QueryParameters.Limit = limit;
                request.QueryParameters.After = after;
                request.Options.Add(seen);
            });
            var link = seen.ResponseHeaders.TryGetValue("Link", out var values) ? string.Join(", ", values) : null;
            return new PageSeen(page!.Select(Seen), link);
        });

    public Task<BusinessSeen> Update(string id, long revision, string website) =>
        Answer(async () => Seen(await api.Api.V1.Business[id].PutAsync(
            new() { Website = website, City = null },
            request => request.Headers.Add("If-Match", $"\"{revision}\""))));

    public Task<DocumentSeen> CreateDocument(string name) =>
        Answer(async () => Seen(await api.Api.V1.Document.PostAsync(new() { Name = name })));

    public Task<DocumentSeen> PutFile(string id, byte[] file, string originalName) =>
        Answer(async () => Seen(await api.Api.V1.Document[id].File.PutAsync(
            new MemoryStream(file), request => request.QueryParameters.OriginalName = originalName)));

    // of an operation that may also answer 304 it makes a method that gives out no body: the request is its, the call ours
    public Task<byte[]> Download(string id) =>
        Answer(async () =>
        {
            var request = api.Api.V1.Document[id].File.ToGetRequestInformation();
            var errors = new Dictionary<string, ParsableFactory<IParsable>>
            {
                { "XXX", Error.CreateFromDiscriminatorValue },
            };
            using var file = await adapter.SendPrimitiveAsync<Stream>(request, errors);
            using var bytes = new MemoryStream();
            await file!.CopyToAsync(bytes);
            return bytes.ToArray();
        });

    // of a union it fills the first member with what any of them was given, and keeps there what that one does not know
    public Task<IEnumerable<string?>> WebsitesSet(string id) =>
        Answer(async () =>
        {
            var events = await api.Api.V1.Business[id].Events.GetAsync();
            return events!
                .Select(member => member.BusinessCreated!)
                .Where(member => member.Name == "BusinessUpdated")
                .Select(member => member.Data!.AdditionalData["changes"])
                .Select(changes => ((UntypedObject)changes).GetValue()["website"])
                .Select(website => (website as UntypedString)?.GetValue());
        });

    public Task<IEnumerable<LedgerEventSeen>> Ledger(string id) =>
        Answer(async () =>
        {
            var events = await api.Audit.V1.Events.GetAsync(request => request.QueryParameters.Entity = id);
            return events!.Select(member =>
                new LedgerEventSeen(member.BusinessCreated!.Index!.Value, member.BusinessCreated.Name!));
        });
}

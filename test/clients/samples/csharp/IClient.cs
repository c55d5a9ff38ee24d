namespace Clients;

public record BusinessSeen(string _id, long revision, string? name, string? city, string? website);

public record DocumentSeen(string _id, string? name, string? originalName, long? size);

public record PageSeen(IEnumerable<BusinessSeen> businesses, string? link);

public record LedgerEventSeen(long index, string name);

/// <summary>An answer that is an error; <c>Code</c> is null where the client does not give it out.</summary>
public class Refused(int status, string? code) : Exception
{
    public int Status => status;
    public string? Code => code;
}

/// <summary>The calls of <c>client.ts</c> beside this folder. Each throws <see cref="Refused"/> for an error.</summary>
public interface IClient
{
    Task<BusinessSeen> Create(string name, string? key);
    Task<BusinessSeen> Get(string id);
    Task<PageSeen> List(string name, int limit, string? after);
    Task<BusinessSeen> Update(string id, long revision, string website);
    Task<DocumentSeen> CreateDocument(string name);
    Task<DocumentSeen> PutFile(string id, byte[] file, string originalName);
    Task<byte[]> Download(string id);
    Task<IEnumerable<string?>> WebsitesSet(string id);
    Task<IEnumerable<LedgerEventSeen>> Ledger(string id);
}

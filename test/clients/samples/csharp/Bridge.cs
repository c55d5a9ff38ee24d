using System.Reflection;
using System.Text.Json;

namespace Clients;

/// <summary>Makes the calls that stand on the standard input, one a line, and writes what each came to.</summary>
public static class Bridge
{
    private record Call(string name, string? token, JsonElement[] args);

    /// <summary>Answers until the input ends. Makes a client for a token, or for none.</summary>
    public static async Task Run(Func<string?, IClient> makeClient)
    {
        while (await Console.In.ReadLineAsync() is { } line)
        {
            var call = JsonSerializer.Deserialize<Call>(line)!;
            Console.WriteLine(JsonSerializer.Serialize(await Answer(makeClient(call.token), call)));
        }
    }

    /// <summary>A value that may be null has to be a text that may be null, rather than a class of its own.</summary>
    public static void RequireNullableText(Type record, params string[] names)
    {
        foreach (var name in names)
        {
            var property = record.GetProperty(name) ?? throw new Exception($"{record.Name} has no {name}");
            var isNullable = new NullabilityInfoContext().Create(property).ReadState == NullabilityState.Nullable;
            if (property.PropertyType != typeof(string) || !isNullable)
                throw new Exception($"{name} of {record.Name} is {property.PropertyType.Name}, not string?");
        }
    }

    /// <summary>A size has to have room for what 32 bits have not.</summary>
    public static void RequireLong(Type record, string name)
    {
        var type = record.GetProperty(name)?.PropertyType ?? throw new Exception($"{record.Name} has no {name}");
        if (type != typeof(long?)) throw new Exception($"{name} of {record.Name} is {type.Name}, not long?");
    }

    private static async Task<object> Answer(IClient client, Call call)
    {
        try
        {
            return new { ok = true, value = await Make(client, call) };
        }
        catch (Refused refused)
        {
            return new { ok = false, status = refused.Status, code = refused.Code };
        }
        catch (Exception fault)
        {
            return new { fault = fault.ToString() };
        }
    }

    private static async Task<object> Make(IClient client, Call call)
    {
        string Text(int at) => TextOrNull(at)!;
        string? TextOrNull(int at) => at < call.args.Length ? call.args[at].GetString() : null;
        return call.name switch
        {
            "create" => await client.Create(Text(0), TextOrNull(1)),
            "get" => await client.Get(Text(0)),
            "list" => await client.List(Text(0), call.args[1].GetInt32(), TextOrNull(2)),
            "update" => await client.Update(Text(0), call.args[1].GetInt32(), Text(2)),
            "createDocument" => await client.CreateDocument(Text(0)),
            "putFile" => await client.PutFile(Text(0), call.args[1].GetBytesFromBase64(), Text(2)),
            "download" => await client.Download(Text(0)),
            "websitesSet" => await client.WebsitesSet(Text(0)),
            "ledger" => await client.Ledger(Text(0)),
            _ => throw new ArgumentException(call.name),
        };
    }
}

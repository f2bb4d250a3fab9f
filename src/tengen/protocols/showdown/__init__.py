"""Pokémon Showdown: a player on its servers, a server of our own, matches against other players there."""

from tengen._lazy import lazy_names

__all__ = [
    "BattleResult",
    "Decider",
    "Decision",
    "MatchSummary",
    "ServerLost",
    "ServerMissing",
    "ServerUnreachable",
    "ShowdownClient",
    "ShowdownFailure",
    "ShowdownServer",
    "ShowdownSettings",
    "Situation",
    "TengenPlayer",
    "find_decider",
    "play_server_match",
    "register_decider",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "client": ["ShowdownClient"],
        "deciding": ["Decider", "Decision", "Situation", "find_decider", "register_decider"],
        "errors": ["ServerLost", "ServerMissing", "ServerUnreachable", "ShowdownFailure"],
        "recording": ["BattleResult"],
        "server": ["ShowdownServer"],
        "server_match": ["MatchSummary", "play_server_match"],
        "settings": ["ShowdownSettings"],
        "tengen_player": ["TengenPlayer"],
    },
)

//! Servers that people run or rent, by name: where they listen, and how they are opened to an extension.

use crate::wire::ProviderId;

/// A server whose address needs no typing.
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// The provider whose dialect it speaks.
    pub provider: ProviderId,
    /// Where it listens unless it was told otherwise.
    pub base_url: &'static str,
}

/// Every preset, in the order the options page shows them.
pub static PRESETS: [Preset; 5] = [
    Preset { name: "Ollama", provider: ProviderId::Openai, base_url: "http://127.0.0.1:11434" },
    Preset { name: "LM Studio", provider: ProviderId::Openai, base_url: "http://127.0.0.1:1234" },
    Preset { name: "llama.cpp", provider: ProviderId::Openai, base_url: "http://127.0.0.1:8080" },
    Preset { name: "vLLM", provider: ProviderId::Openai, base_url: "http://127.0.0.1:8000" },
    Preset { name: "OpenRouter", provider: ProviderId::Openai, base_url: "https://openrouter.ai/api" },
];

/// How Ollama is told to answer extensions, for one operating system.
#[derive(Debug, PartialEq, Eq)]
pub struct OriginsCommand {
    /// The system as `chrome.runtime.getPlatformInfo` names it.
    pub os: &'static str,
    /// The system's name.
    pub name: &'static str,
    /// What to run in a terminal; Ollama starts anew afterwards.
    pub command: &'static str,
}

/// The commands that let extensions in. Ollama answers others with 403 and nothing else.
pub static ORIGINS_COMMANDS: [OriginsCommand; 3] = [
    OriginsCommand { os: "mac", name: "macOS", command: "launchctl setenv OLLAMA_ORIGINS \"chrome-extension://*\"" },
    OriginsCommand {
        os: "linux",
        name: "Linux",
        command: "sudo mkdir -p /etc/systemd/system/ollama.service.d && \
                  printf '[Service]\\nEnvironment=\"OLLAMA_ORIGINS=chrome-extension://*\"\\n' | \
                  sudo tee /etc/systemd/system/ollama.service.d/origins.conf && \
                  sudo systemctl daemon-reload && sudo systemctl restart ollama",
    },
    OriginsCommand { os: "win", name: "Windows", command: "setx OLLAMA_ORIGINS \"chrome-extension://*\"" },
];

/// The commands for a system; all of them for one unknown here.
pub fn origins_commands(os: &str) -> &'static [OriginsCommand] {
    let at = ORIGINS_COMMANDS.iter().position(|row| row.os == os);
    at.map_or(&ORIGINS_COMMANDS[..], |at| &ORIGINS_COMMANDS[at..=at])
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use crate::provider::{endpoint, host_permission};
    use crate::wire::ProviderConfig;

    #[test]
    fn every_preset_is_an_address_requests_can_go_to() {
        for preset in &PRESETS {
            let config = ProviderConfig { base_url: preset.base_url.to_owned(), ..ProviderConfig::default() };
            assert_eq!(endpoint(preset.provider, &config).unwrap(), format!("{}/v1/chat/completions", preset.base_url));
            let is_local = preset.base_url.starts_with("http://127.0.0.1");
            assert_eq!(host_permission(preset.provider, &config).is_none(), is_local, "{}", preset.name);
        }
    }

    #[test]
    fn a_known_system_gets_its_own_command_and_another_gets_all() {
        for (os, word) in [("mac", "launchctl"), ("linux", "systemctl"), ("win", "setx")] {
            let commands = origins_commands(os);
            assert_eq!(commands.len(), 1);
            assert!(commands[0].command.contains(word));
        }
        assert_eq!(origins_commands("cros").len(), 3);
        assert!(ORIGINS_COMMANDS.iter().all(|row| row.command.contains("chrome-extension://*")));
    }
}

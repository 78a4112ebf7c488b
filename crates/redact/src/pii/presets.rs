//! Named selections of kinds, with their actions.

use crate::scan::{
    action::Action,
    kind::{Kind, Kinds},
};

/// A named selection of kinds, with their actions.
///
/// ```
/// use mcp_sieve_redact::{Patterns, Scan, pii::{Preset, Scanner}};
///
/// let patterns = Patterns::default();
/// let kinds = Preset::named("minimal").map(|preset| preset.kinds(patterns.kinds()));
/// let found = Scanner::new(false, kinds).findings("John Smith, jane@example.com").count();
/// assert_eq!(found, 1);
/// ```
#[derive(Debug)]
pub struct Preset {
    /// The name.
    name: &'static str,
    kinds: &'static [Kind],
    /// The countries whose kinds are included: beginnings of names of kinds.
    countries: &'static [&'static str],
    /// The actions for kinds that are not replaced by a placeholder.
    actions: &'static [(Kind, Action)],
}

static PRESETS: [Preset; 4] = [
    Preset {
        name: "eu",
        kinds: &[
            Kind::Person,
            Kind::Address,
            Kind::Email,
            Kind::Phone,
            Kind::DateOfBirth,
            Kind::Ip,
            Kind::Mac,
            Kind::Card,
            Kind::Iban,
        ],
        countries: &[
            "BE_", "CH_", "DE_", "DK_", "ES_", "FI_", "FR_", "IT_", "NL_", "NO_", "PL_", "SE_", "UK_",
        ],
        actions: &[],
    },
    Preset {
        name: "us",
        kinds: &[
            Kind::Person,
            Kind::Address,
            Kind::Email,
            Kind::Phone,
            Kind::DateOfBirth,
            Kind::Ip,
            Kind::Mac,
            Kind::Card,
            Kind::Ssn,
            Kind::Itin,
            Kind::MedicalLicense,
        ],
        countries: &["US_"],
        actions: &[],
    },
    Preset {
        name: "health",
        kinds: &[
            Kind::Person,
            Kind::Address,
            Kind::Email,
            Kind::Phone,
            Kind::DateOfBirth,
            Kind::Ip,
            Kind::Url,
            Kind::Ssn,
            Kind::UsBank,
            Kind::UsDriver,
            Kind::UsMbi,
            Kind::UsNpi,
            Kind::MedicalLicense,
            Kind::UkNhs,
            Kind::AuMedicare,
            Kind::DeHealth,
            Kind::DeLanr,
            Kind::DeBsnr,
        ],
        countries: &[],
        actions: &[(Kind::DateOfBirth, Action::Generalise)],
    },
    Preset {
        name: "minimal",
        kinds: &[Kind::Email, Kind::Phone, Kind::Card, Kind::Iban, Kind::Ssn],
        countries: &[],
        actions: &[],
    },
];

impl Preset {
    /// Returns the preset with a name: `eu`, `us`, `health` or `minimal`.
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Returns the actions for kinds that are not replaced by a placeholder.
    pub fn actions(&self) -> &'static [(Kind, Action)] {
        self.actions
    }

    /// Returns the kinds of the preset and the `custom` ones, which every preset includes.
    pub fn kinds(&self, custom: impl Iterator<Item = Kind>) -> Kinds {
        let of_country = |kind: &Kind| self.countries.iter().any(|country| kind.name().starts_with(country));
        let national = Kind::ALL.iter().copied().filter(of_country);
        self.kinds.iter().copied().chain(national).chain(custom).collect()
    }
}

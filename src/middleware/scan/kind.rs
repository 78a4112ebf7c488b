macro_rules! kinds {
    ($($variant:ident $name:literal,)*) => {
        /// The kind of a finding. Placeholders carry its name: `[EMAIL_1]`.
        #[non_exhaustive]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum Kind {
            $($variant,)*
            /// A kind of the operator's own: its index in the [`Patterns`](super::Patterns), which know its name.
            Own(u8),
        }

        /// The numbers of the built-in kinds.
        #[repr(u8)]
        enum Index { $($variant,)* }

        impl Kind {
            /// The built-in kinds, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name that placeholders and arguments use; `OWN` for every kind of the operator's own.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Own(_) => "OWN",
                }
            }

            /// Returns the number, less than [`KINDS`]. The operator's own kinds follow the built-in ones.
            #[inline]
            pub(crate) const fn number(self) -> usize {
                match self {
                    $(Self::$variant => Index::$variant as usize,)*
                    Self::Own(place) => FIRST_OWN + place as usize,
                }
            }
        }
    };
}

kinds! {
    // A text that looks like a placeholder, but was not generated. Its name is part of the wire format.
    Placeholder "HANDLE",
    // Credentials, which the scanner for secrets finds.
    Secret "SECRET",
    Person "PERSON",
    Organization "ORGANIZATION",
    Address "ADDRESS",
    Email "EMAIL",
    Phone "PHONE",
    DateOfBirth "DATE_OF_BIRTH",
    Url "URL",
    Ip "IP_ADDRESS",
    Mac "MAC_ADDRESS",
    Crypto "CRYPTO",
    Card "CREDIT_CARD",
    Iban "IBAN",
    Ssn "SSN",
    Itin "ITIN",
    UsRouting "US_BANK_ROUTING",
    UsBank "US_BANK_ACCOUNT",
    UsDriver "US_DRIVER_LICENSE",
    UsPassport "US_PASSPORT",
    UsNpi "US_NPI",
    UsMbi "US_MBI",
    MedicalLicense "MEDICAL_LICENSE",
    UkNhs "UK_NHS",
    UkNino "UK_NINO",
    UkPassport "UK_PASSPORT",
    UkVehicle "UK_VEHICLE_REGISTRATION",
    UkDriver "UK_DRIVING_LICENCE",
    UkPostcode "UK_POSTCODE",
    AuAbn "AU_ABN",
    AuAcn "AU_ACN",
    AuTfn "AU_TFN",
    AuMedicare "AU_MEDICARE",
    CaSin "CA_SIN",
    DeTax "DE_TAX_ID",
    DeVat "DE_VAT_ID",
    DeLanr "DE_LANR",
    DeBsnr "DE_BSNR",
    DeIdentity "DE_ID_CARD",
    DePassport "DE_PASSPORT",
    DeRegister "DE_HANDELSREGISTER",
    DePostal "DE_PLZ",
    DePension "DE_SOCIAL_SECURITY",
    DeHealth "DE_HEALTH_INSURANCE",
    DeTaxNumber "DE_TAX_NUMBER",
    EsNif "ES_NIF",
    EsNie "ES_NIE",
    EsPassport "ES_PASSPORT",
    FiPerson "FI_PERSONAL_IDENTITY_CODE",
    FrNir "FR_NIR",
    InAadhaar "IN_AADHAAR",
    InPan "IN_PAN",
    InGstin "IN_GSTIN",
    InPassport "IN_PASSPORT",
    InVoter "IN_VOTER",
    InVehicle "IN_VEHICLE_REGISTRATION",
    ItFiscal "IT_FISCAL_CODE",
    ItVat "IT_VAT_CODE",
    ItDriver "IT_DRIVER_LICENSE",
    ItIdentity "IT_IDENTITY_CARD",
    ItPassport "IT_PASSPORT",
    KrResident "KR_RRN",
    KrForeigner "KR_FRN",
    KrBusiness "KR_BRN",
    KrPassport "KR_PASSPORT",
    KrDriver "KR_DRIVER_LICENSE",
    NgNin "NG_NIN",
    NgVehicle "NG_VEHICLE_REGISTRATION",
    PhMobile "PH_MOBILE_NUMBER",
    PlPesel "PL_PESEL",
    SeOrganisation "SE_ORGANISATIONSNUMMER",
    SePerson "SE_PERSONNUMMER",
    SgFin "SG_NRIC_FIN",
    SgUen "SG_UEN",
    ThPerson "TH_TNIN",
    TrPerson "TR_NATIONAL_ID",
    BrCpf "BR_CPF",
    BrCnpj "BR_CNPJ",
    NlBsn "NL_BSN",
    BePerson "BE_NATIONAL_NUMBER",
    NoPerson "NO_FODSELSNUMMER",
    DkPerson "DK_CPR",
    ChAhv "CH_AHV",
    CnPerson "CN_RESIDENT_ID",
    MxCurp "MX_CURP",
}

/// Maximum number of an operator's own kinds. Each of their patterns scans the text once more.
pub const MAX_PATTERNS: usize = 32;
/// Maximum number of kinds.
pub(crate) const KINDS: usize = u128::BITS as usize;
/// The number of the first of the operator's own kinds.
const FIRST_OWN: usize = KINDS - MAX_PATTERNS;
const _: () = assert!(Kind::ALL.len() <= FIRST_OWN, "own kinds need numbers of their own");

impl Kind {
    /// Returns the built-in kind with a name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u128);

impl Kinds {
    /// All kinds.
    pub const ALL: Self = Self(u128::MAX);

    /// Returns whether the set contains a kind.
    #[inline]
    pub fn contains(self, kind: Kind) -> bool {
        self.0 >> kind.number() & 1 == 1
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        Self(kinds.into_iter().fold(0, |set, kind| set | 1 << kind.number()))
    }
}

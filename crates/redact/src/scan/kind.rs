//! The kinds of findings: built-in kinds of personal data and secrets, and the operator's own.

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $name:literal,)*) => {
        /// The kind of a finding. Placeholders carry its name: `[EMAIL_1]`.
        #[non_exhaustive]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $variant,)*
            /// A custom kind: its index in the [`Patterns`](crate::Patterns), which know its name.
            Own(u8),
        }

        /// The numbers of the built-in kinds.
        #[repr(u8)]
        enum Index { $($variant,)* }

        impl Kind {
            /// The built-in kinds, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name that placeholders and arguments use; `OWN` for every custom kind.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Own(_) => "OWN",
                }
            }

            /// Returns the number, less than [`KINDS`]. Custom kinds follow the built-in ones.
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
    // The name is part of the wire format.
    /// A text that looks like a placeholder, but was not generated. Its placeholder is `[HANDLE_1]`.
    Placeholder "HANDLE",
    /// A password, token or key, which the scanner for secrets finds.
    Secret "SECRET",
    /// The name of a person.
    Person "PERSON",
    /// The name of an organization.
    Organization "ORGANIZATION",
    /// A postal address.
    Address "ADDRESS",
    /// An e-mail address.
    Email "EMAIL",
    /// A telephone number.
    Phone "PHONE",
    /// A date of birth.
    DateOfBirth "DATE_OF_BIRTH",
    /// A URL with a password; with a strict scanner, any URL.
    Url "URL",
    /// An IP address, version 4 or 6.
    Ip "IP_ADDRESS",
    /// A MAC address.
    Mac "MAC_ADDRESS",
    /// The address of a wallet for a cryptocurrency.
    Crypto "CRYPTO",
    /// The number of a payment card.
    Card "CREDIT_CARD",
    /// An international bank account number.
    Iban "IBAN",
    /// A social security number of the United States.
    Ssn "SSN",
    /// An individual taxpayer identification number of the United States.
    Itin "ITIN",
    /// An ABA routing number of a bank in the United States.
    UsRouting "US_BANK_ROUTING",
    /// The number of a bank account in the United States.
    UsBank "US_BANK_ACCOUNT",
    /// A driver's license of the United States.
    UsDriver "US_DRIVER_LICENSE",
    /// A passport of the United States.
    UsPassport "US_PASSPORT",
    /// A national provider identifier of the United States.
    UsNpi "US_NPI",
    /// A Medicare beneficiary identifier of the United States.
    UsMbi "US_MBI",
    /// A DEA number of a medical professional in the United States.
    MedicalLicense "MEDICAL_LICENSE",
    /// A number of the National Health Service.
    UkNhs "UK_NHS",
    /// A national insurance number of the United Kingdom.
    UkNino "UK_NINO",
    /// A passport of the United Kingdom.
    UkPassport "UK_PASSPORT",
    /// The registration of a vehicle in the United Kingdom.
    UkVehicle "UK_VEHICLE_REGISTRATION",
    /// A driving licence of the United Kingdom.
    UkDriver "UK_DRIVING_LICENCE",
    /// A postcode of the United Kingdom.
    UkPostcode "UK_POSTCODE",
    /// An Australian business number.
    AuAbn "AU_ABN",
    /// An Australian company number.
    AuAcn "AU_ACN",
    /// An Australian tax file number.
    AuTfn "AU_TFN",
    /// An Australian Medicare number.
    AuMedicare "AU_MEDICARE",
    /// A Canadian social insurance number.
    CaSin "CA_SIN",
    /// A German tax identification number of a person.
    DeTax "DE_TAX_ID",
    /// A German VAT identification number.
    DeVat "DE_VAT_ID",
    /// The number of a physician in Germany.
    DeLanr "DE_LANR",
    /// The number of a medical practice in Germany.
    DeBsnr "DE_BSNR",
    /// A German identity card.
    DeIdentity "DE_ID_CARD",
    /// A German passport.
    DePassport "DE_PASSPORT",
    /// A number of the German commercial register.
    DeRegister "DE_HANDELSREGISTER",
    /// A German postcode.
    DePostal "DE_PLZ",
    /// A German pension insurance number.
    DePension "DE_SOCIAL_SECURITY",
    /// A German health insurance number.
    DeHealth "DE_HEALTH_INSURANCE",
    /// A German tax number of a tax office.
    DeTaxNumber "DE_TAX_NUMBER",
    /// A Spanish tax number.
    EsNif "ES_NIF",
    /// A Spanish number of a foreigner.
    EsNie "ES_NIE",
    /// A Spanish passport.
    EsPassport "ES_PASSPORT",
    /// A Finnish personal identity code.
    FiPerson "FI_PERSONAL_IDENTITY_CODE",
    /// A French social security number.
    FrNir "FR_NIR",
    /// An Indian Aadhaar number.
    InAadhaar "IN_AADHAAR",
    /// An Indian permanent account number.
    InPan "IN_PAN",
    /// An Indian number for the goods and services tax.
    InGstin "IN_GSTIN",
    /// An Indian passport.
    InPassport "IN_PASSPORT",
    /// An Indian voter identity card.
    InVoter "IN_VOTER",
    /// The registration of a vehicle in India.
    InVehicle "IN_VEHICLE_REGISTRATION",
    /// An Italian fiscal code.
    ItFiscal "IT_FISCAL_CODE",
    /// An Italian VAT number.
    ItVat "IT_VAT_CODE",
    /// An Italian driver's license.
    ItDriver "IT_DRIVER_LICENSE",
    /// An Italian identity card.
    ItIdentity "IT_IDENTITY_CARD",
    /// An Italian passport.
    ItPassport "IT_PASSPORT",
    /// A Korean resident registration number.
    KrResident "KR_RRN",
    /// A Korean foreigner registration number.
    KrForeigner "KR_FRN",
    /// A Korean business registration number.
    KrBusiness "KR_BRN",
    /// A Korean passport.
    KrPassport "KR_PASSPORT",
    /// A Korean driver's license.
    KrDriver "KR_DRIVER_LICENSE",
    /// A Nigerian national identification number.
    NgNin "NG_NIN",
    /// The registration of a vehicle in Nigeria.
    NgVehicle "NG_VEHICLE_REGISTRATION",
    /// A Philippine mobile number.
    PhMobile "PH_MOBILE_NUMBER",
    /// A Polish PESEL number.
    PlPesel "PL_PESEL",
    /// A Swedish number of an organization.
    SeOrganisation "SE_ORGANISATIONSNUMMER",
    /// A Swedish personal identity number.
    SePerson "SE_PERSONNUMMER",
    /// A Singaporean NRIC or FIN number.
    SgFin "SG_NRIC_FIN",
    /// A Singaporean unique entity number.
    SgUen "SG_UEN",
    /// A Thai national identification number.
    ThPerson "TH_TNIN",
    /// A Turkish national identification number.
    TrPerson "TR_NATIONAL_ID",
    /// A Brazilian taxpayer number of a person.
    BrCpf "BR_CPF",
    /// A Brazilian taxpayer number of a company.
    BrCnpj "BR_CNPJ",
    /// A Dutch citizen service number.
    NlBsn "NL_BSN",
    /// A Belgian national number.
    BePerson "BE_NATIONAL_NUMBER",
    /// A Norwegian national identity number.
    NoPerson "NO_FODSELSNUMMER",
    /// A Danish personal identification number.
    DkPerson "DK_CPR",
    /// A Swiss social security number.
    ChAhv "CH_AHV",
    /// A Chinese resident identity number.
    CnPerson "CN_RESIDENT_ID",
    /// A Mexican population registry code.
    MxCurp "MX_CURP",
}

/// Maximum number of custom kinds.
pub(crate) const MAX_PATTERNS: usize = 32;
/// Maximum number of kinds.
pub(crate) const KINDS: usize = u128::BITS as usize;
/// The number of the first custom kind.
const FIRST_OWN: usize = KINDS - MAX_PATTERNS;
const _: () = assert!(Kind::ALL.len() <= FIRST_OWN, "custom kinds need numbers of their own");

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

use super::bitset::Bitset;

/// Words decided together. A block of every set that a plan reads stays in the processor's nearest cache, and what
/// lies between two steps needs no set of its own.
const BLOCK: usize = 64;

type Block = [u64; BLOCK];

/// How sets decide an expression. Negation has been moved down to them.
#[derive(Debug)]
pub(crate) enum Plan<'a> {
    /// In the set.
    In(&'a Bitset),
    /// Not in the set.
    Out(&'a Bitset),
    /// What every part holds for; everything where there is none.
    All(Vec<Plan<'a>>),
    /// What some part holds for; nothing where there is none.
    Any(Vec<Plan<'a>>),
}

impl Plan<'_> {
    /// The same with a part that stands alone in its place.
    pub fn reduced(self) -> Self {
        match self {
            Self::All(mut parts) | Self::Any(mut parts) if parts.len() == 1 => {
                parts.pop().unwrap_or(Self::All(parts))
            }
            plan => plan,
        }
    }

    /// Those `within` for which the plan holds.
    pub fn of(&self, within: &Bitset) -> Bitset {
        let mut words = within.words().to_vec();
        let (blocks, rest) = words.as_chunks_mut();
        let whole = blocks.len();
        blocks.iter_mut().enumerate().for_each(|(at, block)| self.keep(at, block));
        let mut last = filled(rest);
        self.keep(whole, &mut last);
        rest.iter_mut().zip(last).for_each(|(word, last)| *word = last);
        Bitset::from_words(words)
    }

    /// Keeps of the block at `at` what the plan holds for.
    fn keep(&self, at: usize, block: &mut Block) {
        match self {
            Self::In(bits) => each(block, bits, at, |word, set| word & set),
            Self::Out(bits) => each(block, bits, at, |word, set| word & !set),
            Self::All(parts) => parts.iter().for_each(|part| part.keep(at, block)),
            Self::Any(parts) => {
                let mut some = [0; BLOCK];
                parts.iter().for_each(|part| part.add(at, &mut some));
                meet(block, &some, |word, some| word & some);
            }
        }
    }

    /// Adds to the block at `at` what the plan holds for.
    fn add(&self, at: usize, block: &mut Block) {
        match self {
            Self::In(bits) => each(block, bits, at, |word, set| word | set),
            Self::Out(bits) => each(block, bits, at, |word, set| word | !set),
            Self::Any(parts) => parts.iter().for_each(|part| part.add(at, block)),
            Self::All(parts) => {
                let mut every = [u64::MAX; BLOCK];
                parts.iter().for_each(|part| part.keep(at, &mut every));
                meet(block, &every, |word, every| word | every);
            }
        }
    }
}

/// Meets the block at `at` with that of a set. What a set has beyond its end does not matter: sets over one kind are
/// equally long.
fn each(block: &mut Block, bits: &Bitset, at: usize, with: impl Fn(u64, u64) -> u64) {
    let (blocks, rest) = bits.words().as_chunks();
    match blocks.get(at) {
        Some(set) => meet(block, set, with),
        None => meet(block, &filled(rest), with),
    }
}

/// As many words on either side as the compiler knows: it takes two at once.
fn meet(block: &mut Block, other: &Block, with: impl Fn(u64, u64) -> u64) {
    block.iter_mut().zip(other).for_each(|(word, other)| *word = with(*word, *other));
}

fn filled(words: &[u64]) -> Block {
    let mut block = [0; BLOCK];
    block.iter_mut().zip(words).for_each(|(to, word)| *to = *word);
    block
}

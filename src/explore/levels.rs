//! The tree of shortest ways: how each visited state was first reached.
//!
//! States are numbered within their level in the order in which they were found: by parent, then by
//! the place of the operation among those that the parent was offered. So a level is its operations
//! in that order, and how many children each state of the level before has: no parent needs to be
//! stored, and the whole tree takes four bytes a state.

/// Every so many states, how many children those before have is kept, to find a parent quickly.
const MARK_EVERY: usize = 1024;

/// The place of an operation among those that a state is offered.
pub type Choice = u16;

/// One level.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// By which operation each state was reached from its parent.
    choices: Vec<Choice>,
    /// How many children each state has, as far as they are known.
    children: Vec<u16>,
    /// How many children all states before number `MARK_EVERY * i` have.
    marks: Vec<u64>,
    all_children: u64,
}

impl Level {
    /// How many states it has.
    pub fn len(&self) -> usize {
        self.choices.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }

    /// By which operation state number `index` was reached from its parent.
    pub fn choice(&self, index: usize) -> Choice {
        self.choices[index]
    }

    /// Adds a state.
    pub fn push(&mut self, choice: Choice) {
        self.choices.push(choice);
    }

    /// Notes how many children the next state has whose children are not known yet.
    pub fn note_children(&mut self, number: u16) {
        if self.children.len().is_multiple_of(MARK_EVERY) {
            self.marks.push(self.all_children);
        }
        self.children.push(number);
        self.all_children += u64::from(number);
    }

    /// How many children each state has, as far as they are known.
    pub fn all_children(&self) -> &[u16] {
        &self.children
    }

    /// The parent of child number `child` among all children of this level, and the number of the
    /// first child that is not that parent's any more.
    fn parent_of(&self, child: u64) -> (usize, u64) {
        let mark = self.marks.partition_point(|&before| before <= child) - 1;
        let (mut parent, mut end) = (mark * MARK_EVERY, self.marks[mark]);
        loop {
            end += u64::from(self.children[parent]);
            if child < end {
                return (parent, end);
            }
            parent += 1;
        }
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.choices.capacity() * 2 + self.children.capacity() * 2 + self.marks.capacity() * 8
    }
}

/// A walk through the states of one level, in order, each with the way to it.
#[derive(Clone, Debug)]
pub struct Walk<'l> {
    levels: &'l [Level],
    /// The number of the state on each level.
    way: Vec<usize>,
    /// For each level but the last: the first state of the next level that is no child of this one.
    ends: Vec<u64>,
}

impl<'l> Walk<'l> {
    /// A walk through the last of `levels` that begins at state number `index`.
    pub fn from(levels: &'l [Level], index: usize) -> Self {
        let mut way = vec![index];
        let mut ends = Vec::with_capacity(levels.len());
        for level in levels[..levels.len() - 1].iter().rev() {
            let (parent, end) = level.parent_of(way[way.len() - 1] as u64);
            way.push(parent);
            ends.push(end);
        }
        way.reverse();
        ends.reverse();
        Self { levels, way, ends }
    }

    /// The operations that lead to the state, from `level` on.
    pub fn choices_from(&self, level: usize) -> impl Iterator<Item = Choice> {
        let levels = self.levels.iter().zip(&self.way).skip(level);
        levels.map(|(level, &index)| level.choice(index))
    }

    /// On to the next state, which must be there. The first level on which the way is another one
    /// now.
    pub fn advance(&mut self) -> usize {
        let mut level = self.way.len() - 1;
        self.way[level] += 1;
        while level > 0 {
            let child = self.way[level] as u64;
            if child < self.ends[level - 1] {
                break;
            }
            level -= 1;
            while self.ends[level] <= child {
                self.way[level] += 1;
                self.ends[level] += u64::from(self.levels[level].children[self.way[level]]);
            }
        }
        level
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Dice;

    /// A tree with random numbers of children, and the way to each state of its last level.
    fn tree(seed: u64) -> (Vec<Level>, Vec<Vec<Choice>>) {
        let mut dice = Dice::new(seed, 0);
        let mut levels = vec![Level::default()];
        levels[0].push(0);
        let mut ways = vec![vec![0]];
        for _ in 0..12 {
            let (mut next, mut next_ways) = (Level::default(), Vec::new());
            let last = levels.last_mut().unwrap();
            for way in &ways {
                let children = dice.pick(&[0, 0, 1, 2, 6]);
                last.note_children(children);
                for choice in 0..children {
                    next.push(choice * 3);
                    next_ways.push([way.clone(), vec![choice * 3]].concat());
                }
            }
            if next.is_empty() {
                break;
            }
            levels.push(next);
            ways = next_ways;
        }
        (levels, ways)
    }

    #[test]
    fn a_walk_from_anywhere_knows_the_way_to_each_state() {
        let mut longest = 0;
        for seed in 0..200 {
            let (levels, ways) = tree(seed);
            longest = longest.max(ways.len());
            for start in (0..ways.len()).step_by(97) {
                let mut walk = Walk::from(&levels, start);
                let mut way: Vec<_> = walk.choices_from(0).collect();
                assert_eq!(way, ways[start]);
                for expected in &ways[start + 1..] {
                    let changed = walk.advance();
                    assert_eq!(way[..changed], expected[..changed], "the rest is the same");
                    way.truncate(changed);
                    way.extend(walk.choices_from(changed));
                    assert_eq!(&way, expected);
                }
            }
        }
        assert!(longest > 2 * MARK_EVERY, "{longest}");
    }
}

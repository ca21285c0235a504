//! One node's log and what it makes of it (PROTOCOL.md section 3).
//!
//! Every change bumps the revision, so that an observer can tell cheaply whether to look again.

use highwater_invariants::clone_in_place;
use highwater_invariants::{Entry, Log, Offset, Table, first_difference};

/// How a replica last got its entries.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum CatchUpMode {
    /// It never got any.
    #[default]
    Never,
    /// One by one, as the leader appended them.
    Streaming,
    /// By replay from the retained window.
    Incremental,
    /// By a snapshot.
    Full,
}

/// A replica's log, data, committed data and durable image.
#[derive(Debug, Default)]
pub struct Replica {
    log: Log,
    data: Table,
    committed_data: Table,
    applied_high_watermark: Offset,
    durable_log: Log,
    durable_data: Table,
    catch_up_mode: CatchUpMode,
    revision: u64,
}

clone_in_place!(Replica:
    copied { log, durable_log }
    cloned { data, committed_data, applied_high_watermark, durable_data, catch_up_mode, revision });

impl Replica {
    #[inline]
    pub fn log(&self) -> &[Entry] {
        &self.log
    }

    #[inline]
    pub fn log_end_offset(&self) -> Offset {
        Offset(self.log.len() as u32)
    }

    #[inline]
    pub fn data(&self) -> &Table {
        &self.data
    }

    #[inline]
    pub fn committed_data(&self) -> &Table {
        &self.committed_data
    }

    #[inline]
    pub fn applied_high_watermark(&self) -> Offset {
        self.applied_high_watermark
    }

    #[inline]
    pub fn durable_log(&self) -> &[Entry] {
        &self.durable_log
    }

    #[inline]
    pub fn durable_offset(&self) -> Offset {
        Offset(self.durable_log.len() as u32)
    }

    #[inline]
    pub fn catch_up_mode(&self) -> CatchUpMode {
        self.catch_up_mode
    }

    #[inline]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Appends one entry. Incremental catch-up goes on; anything else is streaming from here.
    #[inline]
    pub fn append(&mut self, entry: Entry, is_leader: bool) {
        self.revision += 1;
        self.log.push(entry);
        self.data.apply(entry);
        if is_leader || self.catch_up_mode != CatchUpMode::Incremental {
            self.catch_up_mode = CatchUpMode::Streaming;
        }
    }

    /// Applies committed entries through `high_watermark`, as far as the log goes.
    #[inline]
    pub fn apply_through(&mut self, high_watermark: Offset) {
        let end = high_watermark.min(self.log_end_offset());
        if end > self.applied_high_watermark {
            self.revision += 1;
            let fresh = self.applied_high_watermark.entries()..end.entries();
            self.committed_data.apply_all(&self.log[fresh]);
            self.applied_high_watermark = end;
        }
    }

    /// Cuts the log to `end` and rebuilds the data. Applied and committed data, the durable image
    /// and the mode stay as they are (PROTOCOL.md section 7).
    #[inline]
    pub fn truncate(&mut self, end: Offset) {
        if self.log.len() > end.entries() {
            self.revision += 1;
            self.log.truncate(end.entries());
            self.data = Table::replay(&self.log);
        }
    }

    /// Takes over a snapshot; committed data is rebuilt through the snapshot's high watermark.
    #[inline]
    pub fn install(&mut self, log: &Log, data: &Table, high_watermark: Offset) {
        self.revision += 1;
        self.log.clone_from(log);
        self.data.clone_from(data);
        self.catch_up_mode = CatchUpMode::Full;
        self.rebuild_committed(high_watermark);
    }

    /// The durable image becomes the present log and data.
    #[inline]
    pub fn fsync(&mut self) {
        self.revision += 1;
        self.durable_log.clone_from(&self.log);
        self.durable_data.clone_from(&self.data);
    }

    /// Log and data go back to the durable image. Committed data is to be rebuilt.
    #[inline]
    pub fn restore_durable_image(&mut self) {
        self.revision += 1;
        self.log.clone_from(&self.durable_log);
        self.data.clone_from(&self.durable_data);
    }

    /// Cuts the durable image to what it has in common with the log.
    pub fn cut_durable_image(&mut self) {
        let shorter = self.durable_log.len().min(self.log.len());
        let common = first_difference(&self.durable_log, &self.log)
            .map_or(shorter, |offset| offset.entries() - 1);
        if common < self.durable_log.len() {
            self.revision += 1;
            self.durable_log.truncate(common);
            self.durable_data = Table::replay(&self.durable_log);
        }
    }

    /// Enters a mode of catching up.
    #[inline]
    pub fn catch_up(&mut self, mode: CatchUpMode) {
        self.catch_up_mode = mode;
    }

    /// Rebuilds committed data through `high_watermark`, as far as the log goes.
    pub fn rebuild_committed(&mut self, high_watermark: Offset) {
        self.revision += 1;
        let end = high_watermark.min(self.log_end_offset());
        self.committed_data = Table::replay(&self.log[..end.entries()]);
        self.applied_high_watermark = end;
    }
}
